/** How much YAML a stranger may send: refused before any expensive work, without recursion on their nesting. */
import { Lexer, Parser, type CST } from 'yaml';

export const MAX_TEXT_BYTES = 1024 * 1024;
export const MAX_DEPTH = 64;
/** A parser needs about 20 microseconds a line; nobody writes this many by hand. */
export const MAX_LINES = 20_000;
/** Words, signs and blanks of the text; what a short text of many tiny parts costs. */
export const MAX_LEXEMES = 150_000;
/** Nodes that aliases may add to one document. */
export const MAX_ALIAS_NODES = 10_000;

/** UTF-8 bytes, stopping as soon as the limit is passed. */
export function exceedsBytes(text: string, limit: number): boolean {
  if (text.length > limit) {
    return true;
  }
  let bytes = 0;
  for (let i = 0; i < text.length && bytes <= limit; i += 1) {
    const unit = text.charCodeAt(i);
    bytes += unit < 0x80 ? 1 : unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 2 : 3;
  }
  return bytes > limit;
}

/** `- - - -` and `? ? ? ?` nest on one line. */
const STAIRS = new RegExp(`^[ \\t]*(?:[-?:][ \\t]+){${MAX_DEPTH}}`, 'm');

/** Nesting that the raw text already shows, so that the parser never sees a tower of it. */
function exceedsRawDepth(text: string): number | undefined {
  const stairs = STAIRS.exec(text);
  if (stairs !== null) {
    return stairs.index;
  }
  let depth = 0;
  for (let i = 0; i < text.length; i += 1) {
    const char = text[i];
    if (char === '[' || char === '{') {
      depth += 1;
      // Brackets in plain text count here too, hence the slack; the tree itself is judged below.
      if (depth > MAX_DEPTH * 16) {
        return i;
      }
    } else if (char === ']' || char === '}') {
      depth = Math.max(0, depth - 1);
    }
  }
  return undefined;
}

type Parsed =
  | { readonly tokens: CST.Token[] }
  | { readonly tooDeepAt: number }
  | { readonly tooManyParts: true };

/** The concrete syntax tree, or why it was not built. */
export function parseBounded(text: string, onNewLine: (offset: number) => void): Parsed {
  const tower = exceedsRawDepth(text);
  if (tower !== undefined) {
    return { tooDeepAt: tower };
  }
  const parser = new Parser(onNewLine);
  onNewLine(0);
  const tokens: CST.Token[] = [];
  let lexemes = 0;
  for (const lexeme of new Lexer().lex(text)) {
    lexemes += 1;
    if (lexemes > MAX_LEXEMES) {
      return { tooManyParts: true };
    }
    tokens.push(...parser.next(lexeme));
  }
  tokens.push(...parser.end());
  const tooDeepAt = deepestBeyond(tokens);
  return tooDeepAt === undefined ? { tokens } : { tooDeepAt };
}

function deepestBeyond(tokens: readonly CST.Token[]): number | undefined {
  const stack = tokens.map((token) => ({ token, depth: 0 }));
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { token, depth } = next;
    if (depth > MAX_DEPTH) {
      return token.offset;
    }
    for (const child of childrenOf(token)) {
      stack.push({ token: child, depth: depth + 1 });
    }
  }
  return undefined;
}

function childrenOf(token: CST.Token): CST.Token[] {
  if (token.type === 'document') {
    return token.value === undefined ? [] : [token.value];
  }
  if ('items' in token) {
    return token.items.flatMap((item) =>
      [item.key, item.value].filter((part): part is CST.Token => part !== undefined && part !== null),
    );
  }
  return [];
}
