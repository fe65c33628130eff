/** Where Talos's strategic merge does not follow the type of the value; taken from the tags of its config types. */

/** Lists have their elements addressed as `[]`; the key of a rule is `<kind>:<path>`, v1alpha1 has no kind. */
export type MergeRule =
  | { readonly how: 'replace' }
  /** Elements are the same when the first of these keys that both carry is equal. */
  | { readonly how: 'by-key'; readonly keys: readonly string[] }
  /** Entries of a mapping replace one another whole. */
  | { readonly how: 'replace-entries' };

const replace: MergeRule = { how: 'replace' };

const RULES: Readonly<Record<string, MergeRule>> = {
  ':cluster.network.podSubnets': replace,
  ':cluster.network.serviceSubnets': replace,
  ':cluster.apiServer.auditPolicy': replace,
  ':cluster.apiServer.admissionControl': { how: 'by-key', keys: ['name'] },
  ':machine.network.interfaces': { how: 'by-key', keys: ['interface', 'deviceSelector'] },
  ':machine.network.interfaces.[].vlans': { how: 'by-key', keys: ['vlanId'] },
  'NetworkRuleConfig:ingress': replace,
  'NetworkRuleConfig:portSelector.ports': replace,
  'ExtensionServiceConfig:configFiles': { how: 'by-key', keys: ['mountPath'] },
};

export function mergeRule(kind: string, path: readonly string[]): MergeRule | undefined {
  if (path.at(-1) === 'extraArgs') {
    return { how: 'replace-entries' };
  }
  return RULES[`${kind}:${path.join('.')}`];
}
