// What a fresh installation contains: the platform with its hidden provider, and a demo tenant with a lab of its own.

export function seedInput(secrets) {
  return {
    operatorToken: secrets.operatorToken,
    tenant: { name: 'demo', displayName: 'Demo', token: secrets.demoToken },
    hiddenProvider: { name: 'platform', alias: 'managed', joinToken: secrets.joinTokens.platform },
    tenantProvider: { name: 'demo-lab', joinToken: secrets.joinTokens['demo-lab'] },
  };
}
