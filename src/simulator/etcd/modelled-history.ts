/** The key-value half of the modelled etcd: revisions, events and a journal file that survives a SIGKILL. */
import { closeSync, existsSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { EtcdCompactedError, EtcdConflictError, type EtcdEvent, type EtcdItem } from './etcd-store';

const KEPT_EVENTS = 5_000;
const SLACK_LINES = 20_000;

interface Line {
  readonly r: number;
  readonly k?: string;
  /** Absent: deletion. */
  readonly v?: string;
}

export class ModelledHistory {
  revision = 1;
  bytes = 0;
  private readonly items = new Map<string, { value: string; modRevision: number }>();
  private readonly events: EtcdEvent[] = [];
  /** Events up to here are no longer kept. */
  private compacted = 0;
  private readonly watchers = new Set<{ prefix: string; onEvent: (event: EtcdEvent) => void }>();
  private journal: number | undefined;
  private lines = 0;

  constructor(private readonly file: string) {
    if (existsSync(file)) {
      this.load();
    }
  }

  get(key: string): { value: string; modRevision: number } | undefined {
    return this.items.get(key);
  }

  list(prefix: string): EtcdItem[] {
    const found: EtcdItem[] = [];
    for (const [key, item] of this.items) {
      if (key.startsWith(prefix)) {
        found.push({ key, ...item });
      }
    }
    return found.sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  put(key: string, value: string, expected?: number): number {
    this.expect(key, expected);
    this.write({ r: this.revision + 1, k: key, v: value });
    return this.revision;
  }

  delete(key: string, expected?: number): number | undefined {
    this.expect(key, expected);
    if (!this.items.has(key)) {
      return undefined;
    }
    this.write({ r: this.revision + 1, k: key });
    return this.revision;
  }

  watch(prefix: string, fromRevision: number, onEvent: (event: EtcdEvent) => void): () => void {
    if (fromRevision > 0 && fromRevision <= this.compacted && fromRevision <= this.revision) {
      throw new EtcdCompactedError();
    }
    const watcher = { prefix, onEvent };
    if (fromRevision > 0) {
      for (const event of this.events) {
        if (event.modRevision >= fromRevision && event.key.startsWith(prefix)) {
          onEvent(event);
        }
      }
    }
    this.watchers.add(watcher);
    return () => void this.watchers.delete(watcher);
  }

  close(): void {
    if (this.journal !== undefined) {
      closeSync(this.journal);
    }
    this.journal = undefined;
  }

  private expect(key: string, expected: number | undefined): void {
    if (expected !== undefined && (this.items.get(key)?.modRevision ?? 0) !== expected) {
      throw new EtcdConflictError(key);
    }
  }

  private write(line: Line): void {
    if (this.lines > SLACK_LINES + 4 * this.items.size) {
      this.rewrite();
    }
    this.journal ??= openSync(this.file, 'a', 0o600);
    // Synchronous: what a caller was told is written is in the kernel, whatever happens to this process.
    writeSync(this.journal, `${JSON.stringify(line)}\n`);
    this.lines += 1;
    this.apply(line);
  }

  private apply(line: Line): void {
    this.revision = Math.max(this.revision, line.r);
    if (line.k === undefined) {
      this.compacted = line.r;
      return;
    }
    const before = this.items.get(line.k);
    this.bytes -= before === undefined ? 0 : before.value.length + line.k.length;
    let event: EtcdEvent;
    if (line.v === undefined) {
      this.items.delete(line.k);
      event = { type: 'delete', key: line.k, modRevision: line.r };
    } else {
      this.items.set(line.k, { value: line.v, modRevision: line.r });
      this.bytes += line.v.length + line.k.length;
      event = { type: 'put', key: line.k, value: line.v, modRevision: line.r };
    }
    this.events.push(event);
    if (this.events.length > 2 * KEPT_EVENTS) {
      this.compacted = this.events.splice(0, KEPT_EVENTS).at(-1)?.modRevision ?? this.compacted;
    }
    for (const watcher of this.watchers) {
      if (event.key.startsWith(watcher.prefix)) {
        watcher.onEvent(event);
      }
    }
  }

  private load(): void {
    for (const text of readFileSync(this.file, 'utf8').split('\n')) {
      if (text === '') {
        continue;
      }
      let line: Line;
      try {
        line = JSON.parse(text) as Line;
      } catch {
        break; // the last line, cut off by a kill
      }
      this.apply(line);
      this.lines += 1;
    }
    this.rewrite();
  }

  /** A snapshot in the journal's own format. The events before it are forgotten by the next start. */
  private rewrite(): void {
    this.close();
    const lines: Line[] = [{ r: this.revision }];
    for (const [k, item] of this.items) {
      lines.push({ r: item.modRevision, k, v: item.value });
    }
    writeFileSync(`${this.file}.next`, lines.map((line) => `${JSON.stringify(line)}\n`).join(''), {
      mode: 0o600,
    });
    renameSync(`${this.file}.next`, this.file);
    this.lines = lines.length;
  }
}
