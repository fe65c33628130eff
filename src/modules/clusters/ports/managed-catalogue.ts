/** What tenants may know of the platform's hidden providers: their public aliases, and nothing more. */
export abstract class ManagedCatalogue {
  /** In alphabetical order. */
  abstract aliases(): Promise<readonly string[]>;
}
