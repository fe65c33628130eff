/** Conditions: what is true of an object, why, and since when. `Unknown` is a value and never means `False`. */

export type ConditionStatus = 'True' | 'False' | 'Unknown';

export interface Condition {
  readonly type: string;
  readonly status: ConditionStatus;
  /** CamelCase, stable; tools match on it. */
  readonly reason: string;
  /** For people; names no hidden object. */
  readonly message: string;
  /** ISO 8601; moves only when `status` does. */
  readonly lastTransitionTime: string;
}

export type ConditionDraft = Omit<Condition, 'lastTransitionTime'>;

/** Puts drafts over the previous conditions, keeping the transition time of those whose status did not change. */
export function mergeConditions(
  previous: readonly Condition[],
  drafts: readonly ConditionDraft[],
  now: Date,
): Condition[] {
  return drafts.map((draft) => {
    const before = previous.find((c) => c.type === draft.type);
    const lastTransitionTime =
      before?.status === draft.status ? before.lastTransitionTime : now.toISOString();
    return { ...draft, lastTransitionTime };
  });
}
