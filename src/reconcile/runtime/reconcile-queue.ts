/** Hands a key to one worker of one replica. It may lose everything: `reconcile_keys.due_at` is the truth. */
export abstract class ReconcileQueue {
  /**
   * Says that the key may be due; while it waits, further hints are one. Not a command: a worker looks at `due_at`,
   * which the relay has set before.
   */
  abstract hint(keys: readonly string[]): Promise<void>;
  /** A hint at a later time, for when `due_at` comes; replaces the earlier wake-up of the key. */
  abstract wake(key: string, at: Date): Promise<void>;
  /** Starts to consume. */
  abstract start(consume: (key: string) => Promise<void>): Promise<void>;
  /** Stops to consume, waits for what runs, closes the connections. */
  abstract stop(): Promise<void>;
}
