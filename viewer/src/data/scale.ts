// Where a value lies on a slider of 0 to 1, evenly or by its logarithm.

export interface Range {
  minimum: number;
  maximum: number;
  logarithmic?: boolean;
}

export function to_slider(value: number, range: Range): number {
  const { minimum, maximum, logarithmic } = range;
  const part = logarithmic
    ? Math.log(Math.max(value, minimum) / minimum) / Math.log(maximum / minimum)
    : (value - minimum) / (maximum - minimum);
  return Math.min(1, Math.max(0, part));
}

export function from_slider(part: number, range: Range): number {
  const { minimum, maximum, logarithmic } = range;
  return logarithmic ? minimum * Math.pow(maximum / minimum, part) : minimum + part * (maximum - minimum);
}

/// 1, 2 or 5 times a power of ten, at most `value`: for grid lines and steps.
export function round_down_nicely(value: number): number {
  const power = Math.pow(10, Math.floor(Math.log10(value)));
  const lead = value / power;
  return power * (lead >= 5 ? 5 : lead >= 2 ? 2 : 1);
}
