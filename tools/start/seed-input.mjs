/** What `dist/app/seed.js` is told: the platform with its hidden provider, and a demo tenant with a lab of its own. */
export function seedInput(secrets) {
  return {
    operatorToken: secrets.operatorToken,
    demoToken: secrets.demoToken,
    hiddenProviderJoinToken: secrets.joinTokens.platform,
    demoProviderJoinToken: secrets.joinTokens['demo-lab'],
  };
}
