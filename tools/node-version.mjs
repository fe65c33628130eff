// Imported before anything else, so that an old Node gets one clear line instead of a syntax error from a package.
const [major, minor] = process.versions.node.split('.').map(Number);
const usable = (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major >= 23;
if (!usable) {
  console.error(`quorate: Node ${process.versions.node} is too old; install Node 20.19, 22.12 or newer`);
  process.exit(1);
}
