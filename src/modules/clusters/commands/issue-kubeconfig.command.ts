import { Command } from '@nestjs/cqrs';
import type { Invocation } from '../../tenancy/invocation';
import type { IssuedKubeconfig } from '../ports/kubeconfig-issuer';

export class IssueKubeconfig extends Command<IssuedKubeconfig> {
  constructor(
    readonly invocation: Invocation,
    readonly cluster: string,
    readonly ttlSeconds: number,
  ) {
    super();
  }
}
