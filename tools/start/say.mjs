// What the supervisor tells a person, one line at a time.

/** A start that cannot go on, in one line that says what to do. */
export class StartError extends Error {}

export const say = (text) => console.error(`quorate: ${text}`);
