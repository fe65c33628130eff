/** Starts the parts of a process in order and stops them in the opposite one. */
import { Injectable, Logger } from '@nestjs/common';

/** In starting order. Stopping: no new requests, then no new work, then no callers, then no relay, then no database. */
export const STAGES = ['database', 'relay', 'gateways', 'workers', 'http'] as const;
export type Stage = (typeof STAGES)[number];

export interface Part {
  readonly name: string;
  readonly stage: Stage;
  start?(): Promise<void>;
  /** Ends what is in flight, within the deadline of the process. */
  stop?(): Promise<void>;
}

@Injectable()
export class Lifecycle {
  private readonly logger = new Logger(Lifecycle.name);
  private readonly parts: Part[] = [];
  private readonly started: Part[] = [];
  private stopping: Promise<void> | undefined;

  /** Before `start`, usually in a constructor or in onModuleInit. */
  register(part: Part): void {
    this.parts.push(part);
  }

  /** When a part does not start, those before it are stopped, and its error is thrown. */
  async start(): Promise<void> {
    for (const stage of STAGES) {
      for (const part of this.parts.filter((p) => p.stage === stage)) {
        if (this.stopping !== undefined) {
          return;
        }
        this.started.push(part);
        try {
          await part.start?.();
        } catch (error) {
          await this.stop();
          throw error;
        }
      }
    }
  }

  /** Safe to call twice; a part that fails to stop does not keep the others from it. */
  stop(): Promise<void> {
    this.stopping ??= this.stopAll();
    return this.stopping;
  }

  private async stopAll(): Promise<void> {
    for (const stage of [...STAGES].reverse()) {
      const parts = this.started.filter((part) => part.stage === stage);
      await Promise.all(parts.map((part) => this.stopPart(part)));
    }
  }

  private async stopPart(part: Part): Promise<void> {
    try {
      await part.stop?.();
    } catch (error) {
      this.logger.error(`${part.name} did not stop cleanly`, error);
    }
  }
}
