/** Says that there may be work for a provider. Signals may be lost or false: who waits looks by itself now and then. */
export abstract class ProviderWorkSignal {
  /** The returned function ends the subscription. */
  abstract subscribe(providerId: string, listener: () => void): () => void;
}
