/** Under which the report remembers where a set lists a machine: indexes shift when an id beside it is unreadable. */
export const memberPath = (setPath: string, machineId: string): string => `${setPath}.machines{${machineId}}`;
