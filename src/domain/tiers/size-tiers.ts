/** The size tiers of managed control planes: how many machines, and of what shape. One, three or five; nothing else. */

export interface MachineShape {
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly diskBytes: number;
}

export interface SizeTier {
  readonly name: string;
  readonly machines: 1 | 3 | 5;
  readonly shape: MachineShape;
}

const GIB = 1024 ** 3;
const shape = (cpus: number, memoryGib: number, diskGib: number): MachineShape => ({
  cpus,
  memoryBytes: memoryGib * GIB,
  diskBytes: diskGib * GIB,
});

export const SIZE_TIERS: readonly SizeTier[] = [
  { name: 'xs', machines: 1, shape: shape(1, 2, 10) },
  { name: 's', machines: 1, shape: shape(2, 4, 20) },
  { name: 'm', machines: 3, shape: shape(2, 4, 20) },
  { name: 'l', machines: 3, shape: shape(4, 8, 40) },
  { name: 'xl', machines: 5, shape: shape(8, 16, 80) },
];

export function findSizeTier(name: string): SizeTier | undefined {
  return SIZE_TIERS.find((tier) => tier.name === name);
}
