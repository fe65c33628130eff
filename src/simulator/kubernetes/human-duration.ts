/** Ages as `kubectl` prints them: `45s`, `2m30s`, `3h`, `5d2h`, `1y20d`. */

const pair = (whole: number, unit: string, rest: number, restUnit: string): string =>
  rest === 0 ? `${whole}${unit}` : `${whole}${unit}${rest}${restUnit}`;

export function humanDuration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const days = Math.floor(hours / 24);
  if (seconds < 120) {
    return `${seconds}s`;
  }
  if (minutes < 10) {
    return pair(minutes, 'm', seconds % 60, 's');
  }
  if (minutes < 180) {
    return `${minutes}m`;
  }
  if (hours < 8) {
    return pair(hours, 'h', minutes % 60, 'm');
  }
  if (hours < 48) {
    return `${hours}h`;
  }
  if (days < 8) {
    return pair(days, 'd', hours % 24, 'h');
  }
  return days < 730 ? `${days}d` : pair(Math.floor(days / 365), 'y', days % 365, 'd');
}

export function ageOf(timestamp: string | undefined, now: number): string {
  const at = Date.parse(timestamp ?? '');
  return Number.isNaN(at) ? '<unknown>' : humanDuration(now - at);
}
