/** A machine's hostname out of names that people chose: always a DNS label, and unique in its cluster by the id's tail. */

const MAX_STEM = 48;
const TAIL = 12;

/** `names`: of the cluster, and of what the machine is for. Names may begin with - or _; a DNS label may not. */
export function machineHostname(names: readonly string[], id: string): string {
  const stem = names
    .join('-')
    .toLowerCase()
    .replaceAll('_', '-')
    .replace(/^-+/, '')
    .slice(0, MAX_STEM)
    .replace(/-+$/, '');
  const tail = id.replaceAll('-', '').slice(-TAIL);
  return stem === '' ? `m-${tail}` : `${stem}-${tail}`;
}
