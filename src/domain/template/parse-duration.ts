/** Durations as Go writes them: 1h, 6h0m0s, 1.5h, 90s. */

const UNIT_SECONDS: Readonly<Record<string, number>> = {
  h: 3600,
  m: 60,
  s: 1,
  ms: 1e-3,
  us: 1e-6,
  µs: 1e-6,
  ns: 1e-9,
};
const WHOLE = /^\+?(?:\d{1,12}(?:\.\d{1,9})?(?:h|ms|m|s|us|µs|ns))+$/;
const PART = /(\d+(?:\.\d+)?)(h|ms|m|s|us|µs|ns)/g;

/** Seconds, or undefined when the text is no duration. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') {
    return 0;
  }
  if (!WHOLE.test(text) || text.length > 64) {
    return undefined;
  }
  const parts = [...text.matchAll(PART)];
  return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (UNIT_SECONDS[unit ?? ''] ?? 0), 0);
}
