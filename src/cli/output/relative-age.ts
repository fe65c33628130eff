/** `42s`, `5m`, `3h`, `2d`: how long ago, in the largest unit that says something. */
export function relativeAge(at: string | null | undefined, now: number): string {
  const time = Date.parse(at ?? '');
  return Number.isNaN(time) ? '-' : duration(now - time);
}

export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) {
    return `${seconds}s`;
  }
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) {
    return `${minutes}m`;
  }
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h` : `${Math.floor(hours / 24)}d`;
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** `90s`, `15m`, `1h30m`, `7d`; undefined when it is none of that. */
export function parseDuration(text: string): number | undefined {
  if (!/^(\d+[smhd])+$/.test(text)) {
    return undefined;
  }
  const parts = [...text.matchAll(/(\d+)([smhd])/g)];
  const seconds = parts.reduce((sum, [, count, unit]) => sum + Number(count) * (UNITS[unit ?? ''] ?? 0), 0);
  return seconds > 0 ? seconds * 1000 : undefined;
}

export function bytes(count: number): string {
  const gib = count / 1024 ** 3;
  return `${Number.isInteger(gib) ? gib : gib.toFixed(1)}Gi`;
}
