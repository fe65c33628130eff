/**
 * What a complete inventory of a provider says of the machines that are known (behavior table 9): one that nobody asked
 * for is recorded and never adopted; one that two reports in a row do not name is gone; one that comes back under the
 * same reference and id is there again, unless it went while the report was on its way. Rows of other providers are not
 * touched.
 */

export interface InventoryItem {
  readonly ref: string;
  readonly machineId: string;
  readonly addresses: readonly string[];
  readonly talosEndpoint: string;
  readonly kubernetesEndpoint: string;
}

export interface InventoryRow {
  readonly machineId: string;
  readonly ref: string;
  readonly addresses: readonly string[];
  readonly talosEndpoint: string;
  readonly kubernetesEndpoint: string;
  readonly lastSeenAt: Date | null;
  readonly missingSince: Date | null;
  readonly goneAt: Date | null;
}

export interface InventoryVerdict {
  readonly seen: readonly string[];
  /** Seen ones that were gone. */
  readonly returned: readonly string[];
  /** Seen ones whose addresses differ from what is known. */
  readonly moved: readonly InventoryItem[];
  readonly appeared: readonly InventoryItem[];
  /** Not named for the first time. */
  readonly missing: readonly string[];
  readonly gone: readonly string[];
  /** Named with a reference or an id that belongs to another machine; nothing is done with them. */
  readonly disputed: readonly InventoryItem[];
}

export interface Inventory {
  readonly items: readonly InventoryItem[];
  /** All machines of this provider. */
  readonly rows: readonly InventoryRow[];
  /** Ids of the items that machines of the owner's other providers have. */
  readonly idsElsewhere: ReadonlySet<string>;
  readonly now: Date;
  /**
   * A report was made before it arrives, and several agents may send theirs at once: what was seen, or missed, more
   * recently than this does not count (again).
   */
  readonly settleMs: number;
}

export function judgeInventory({ items, rows, idsElsewhere, now, settleMs }: Inventory): InventoryVerdict {
  const settled = (since: Date | null): boolean =>
    since === null || now.getTime() - since.getTime() >= settleMs;
  const byRef = new Map(rows.map((row) => [row.ref, row]));
  const byId = new Map(rows.map((row) => [row.machineId, row]));
  const verdict = {
    seen: [] as string[],
    returned: [] as string[],
    moved: [] as InventoryItem[],
    appeared: [] as InventoryItem[],
    disputed: [] as InventoryItem[],
  };
  for (const item of unique(items)) {
    const row = byRef.get(item.ref);
    if (row === undefined) {
      const isTaken = byId.has(item.machineId) || idsElsewhere.has(item.machineId);
      (isTaken ? verdict.disputed : verdict.appeared).push(item);
    } else if (row.machineId !== item.machineId) {
      verdict.disputed.push(item);
    } else if (row.goneAt === null || settled(row.goneAt)) {
      verdict.seen.push(row.machineId);
      if (row.goneAt !== null) {
        verdict.returned.push(row.machineId);
      }
      if (isElsewhere(row, item)) {
        verdict.moved.push(item);
      }
    }
  }
  const named = new Set(items.map((item) => item.ref));
  const absent = rows.filter((row) => !named.has(row.ref) && row.goneAt === null);
  return {
    ...verdict,
    missing: absent
      .filter((row) => row.missingSince === null && settled(row.lastSeenAt))
      .map((row) => row.machineId),
    gone: absent
      .filter((row) => row.missingSince !== null && settled(row.missingSince))
      .map((row) => row.machineId),
  };
}

/** The first of several items with one reference or one id counts. */
function unique(items: readonly InventoryItem[]): InventoryItem[] {
  const refs = new Set<string>();
  const ids = new Set<string>();
  return items.filter(({ ref, machineId }) => {
    const isNew = !refs.has(ref) && !ids.has(machineId);
    refs.add(ref);
    ids.add(machineId);
    return isNew;
  });
}

function isElsewhere(row: InventoryRow, item: InventoryItem): boolean {
  return (
    row.talosEndpoint !== item.talosEndpoint ||
    row.kubernetesEndpoint !== item.kubernetesEndpoint ||
    row.addresses.join() !== item.addresses.join()
  );
}
