/**
 * Calls that come while a statement is under way go together in the next one: no call waits for company, and a busy
 * worker sends a statement for many passes instead of one for each.
 */
const LARGEST = 100;

interface Call<In, Out> {
  readonly input: In;
  readonly resolve: (out: Out) => void;
  readonly reject: (error: unknown) => void;
}

export class ReconcileBatch<In, Out> {
  private calls: Call<In, Out>[] = [];
  private underWay = false;

  /** `send` answers in the order of its inputs. */
  constructor(private readonly send: (inputs: readonly In[]) => Promise<readonly Out[]>) {}

  add(input: In): Promise<Out> {
    return new Promise<Out>((resolve, reject) => {
      this.calls.push({ input, resolve, reject });
      void this.flush();
    });
  }

  private async flush(): Promise<void> {
    if (this.underWay) {
      return;
    }
    this.underWay = true;
    while (this.calls.length > 0) {
      const batch = this.calls.splice(0, LARGEST);
      try {
        const outs = await this.send(batch.map((call) => call.input));
        batch.forEach((call, index) => call.resolve(outs[index] as Out));
      } catch (error) {
        batch.forEach((call) => call.reject(error));
      }
    }
    this.underWay = false;
  }
}
