/** Reads server-sent events of one response, one frame at a time. */

export interface ReceivedFrame {
  readonly id: string | undefined;
  readonly event: string | undefined;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a wrong shape fails in the assertion
  readonly data: any;
}

export class EventStream {
  private buffer = '';
  private readonly abort = new AbortController();
  private reader: ReadableStreamDefaultReader<Uint8Array> | undefined;

  constructor(private readonly url: string) {}

  /** The response; its body is read by `next`. */
  async open(token: string, lastEventId?: string): Promise<Response> {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    };
    const response = await fetch(this.url, { headers, signal: this.abort.signal });
    this.reader = response.body?.getReader();
    return response;
  }

  /** The next frame with data; undefined when the stream has ended. */
  async next(): Promise<ReceivedFrame | undefined> {
    for (;;) {
      const end = this.buffer.indexOf('\n\n');
      if (end < 0) {
        const chunk = await this.reader?.read();
        if (chunk === undefined || chunk.done) {
          return undefined;
        }
        this.buffer += Buffer.from(chunk.value).toString('utf8');
        continue;
      }
      const lines = this.buffer.slice(0, end).split('\n');
      this.buffer = this.buffer.slice(end + 2);
      const field = (name: string): string | undefined =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      const data = field('data');
      if (data !== undefined) {
        return { id: field('id'), event: field('event'), data: JSON.parse(data) as unknown };
      }
    }
  }

  /** Frames up to and including the first that fits. */
  async until(fits: (frame: ReceivedFrame) => boolean): Promise<ReceivedFrame[]> {
    const frames: ReceivedFrame[] = [];
    for (;;) {
      const frame = await this.next();
      if (frame === undefined) {
        throw new Error(`the stream ended after ${JSON.stringify(frames.map((f) => f.data as unknown))}`);
      }
      frames.push(frame);
      if (fits(frame)) {
        return frames;
      }
    }
  }

  close(): void {
    this.abort.abort();
  }
}
