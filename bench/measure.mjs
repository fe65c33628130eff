// What all benchmarks share: medians, percentiles, one form of report.
export const median = (values) => percentile(values, 0.5);

export function percentile(values, p) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))];
}

export const report = (id, what, figure, remark = '') => ({ id, what, figure, remark });
