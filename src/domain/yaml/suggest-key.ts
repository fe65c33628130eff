/** "Did you mean": the known word nearest to what was written, or nothing when none is near. */

export function suggestKey(written: string, known: readonly string[]): string | undefined {
  const lower = written.toLowerCase().replace(/[-_]/g, '');
  const sameButCase = known.find((key) => key.toLowerCase() === lower);
  if (sameButCase !== undefined) {
    return sameButCase;
  }
  const limit = written.length <= 4 ? 1 : written.length <= 8 ? 2 : 3;
  const ranked = known
    .filter((key) => Math.abs(key.length - lower.length) <= limit)
    .map((key) => ({ key, distance: editDistance(lower, key.toLowerCase()) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance);
  return ranked[0]?.key;
}

/** Levenshtein, one row at a time. Words are short: callers pass at most a key and its candidates. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const substitute = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, substitute));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
