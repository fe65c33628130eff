/** Values that Talos would take or refuse only on the machine, and that can be judged before: subnets, installer tags. */
import { describeNode, entryOf, isNull, type Place, type YamlMap, type YamlNode } from '../yaml/yaml-tree';

export interface WrongValue {
  readonly at: Place;
  readonly below: string;
  readonly code: string;
  readonly reason: string;
  readonly remedy: string;
}

export function findWrongValues(
  document: YamlMap,
  kind: string | undefined,
  talosVersion?: string,
): WrongValue[] {
  if (kind === 'NetworkRuleConfig') {
    return wrongSubnets(document);
  }
  return kind === undefined && talosVersion !== undefined ? wrongInstallerTag(document, talosVersion) : [];
}

const SUBNET = /^[0-9a-fA-F:.]+\/\d{1,3}$/;

/** Typed in Talos: a placeholder there fails when the patch is loaded, on every machine. */
function wrongSubnets(document: YamlMap): WrongValue[] {
  const ingress = entryOf(document, 'ingress')?.value;
  const rules = ingress?.kind === 'list' ? ingress.items : [];
  return rules.flatMap((rule) =>
    ['subnet', 'except'].flatMap((key) => {
      const subnet = entryOf(rule, key)?.value;
      return subnet === undefined || isSubnet(subnet) ? [] : [notASubnet(subnet, key)];
    }),
  );
}

function isSubnet(node: YamlNode): boolean {
  return isNull(node) || (node.kind === 'scalar' && SUBNET.test(node.text));
}

const notASubnet = (node: YamlNode, key: string): WrongValue => ({
  at: node.at,
  below: `ingress.${key}`,
  code: 'PATCH_SUBNET',
  reason: `A subnet is wanted, not ${describeNode(node)}.`,
  remedy: 'Write an address and a prefix length, such as 192.0.2.0/24.',
});

/** An image of another version would be installed first and upgraded away afterwards, for ever. */
function wrongInstallerTag(document: YamlMap, talosVersion: string): WrongValue[] {
  const machine = entryOf(document, 'machine')?.value;
  const install = machine && entryOf(machine, 'install')?.value;
  const image = install && entryOf(install, 'image')?.value;
  const tag = image?.kind === 'scalar' ? /:([^:/@]+)(?:@.*)?$/.exec(image.text)?.[1] : undefined;
  if (image === undefined || tag === undefined || tag.replace(/^v/, '') === talosVersion) {
    return [];
  }
  const reason = `The installer image has the tag ${tag}, the cluster runs Talos ${talosVersion}.`;
  const remedy = 'Leave the tag out; Quorate adds the version of the cluster.';
  return [{ at: image.at, below: 'machine.install.image', code: 'PATCH_INSTALLER_TAG', reason, remedy }];
}
