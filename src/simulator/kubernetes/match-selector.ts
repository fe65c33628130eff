/** Label and field selectors, as `-l` and `--field-selector` send them. */
import type { KubeObject } from './kube-object';
import { textAt } from './kube-object';
import { StatusError } from './status-error';

export type Matcher = (object: KubeObject) => boolean;

const SET_TERM = /^([^\s=!,]+)\s+(in|notin)\s+\(([^)]*)\)$/;
const EQUALITY_TERM = /^([^\s=!,]+)\s*(==|=|!=)\s*([^\s=!,]*)$/;

/** Commas inside the brackets of a set do not separate terms. */
function terms(selector: string): string[] {
  return selector
    .split(/,(?![^(]*\))/)
    .map((term) => term.trim())
    .filter((term) => term !== '');
}

function labelTerm(term: string): Matcher {
  const set = SET_TERM.exec(term);
  if (set !== null) {
    const [, key = '', operator, list = ''] = set;
    const values = list.split(',').map((value) => value.trim());
    return (o) => values.includes(o.metadata.labels?.[key] ?? '\0') === (operator === 'in');
  }
  const equality = EQUALITY_TERM.exec(term);
  if (equality !== null) {
    const [, key = '', operator, value] = equality;
    return (o) => (o.metadata.labels?.[key] === value) === (operator !== '!=');
  }
  if (/^!?[^\s=!,()]+$/.test(term)) {
    const key = term.replace(/^!/, '');
    return (o) => (o.metadata.labels?.[key] !== undefined) === !term.startsWith('!');
  }
  throw new StatusError('BadRequest', `unable to parse requirement: ${term}`);
}

function fieldTerm(term: string): Matcher {
  const equality = EQUALITY_TERM.exec(term);
  if (equality === null) {
    throw new StatusError('BadRequest', `invalid field selector: ${term}`);
  }
  const [, path = '', operator, value = ''] = equality;
  return (o) => ((textAt(o, path) ?? '') === value) === (operator !== '!=');
}

export function labelMatcher(selector: string | null): Matcher {
  const all = terms(selector ?? '').map(labelTerm);
  return (object) => all.every((matches) => matches(object));
}

export function fieldMatcher(selector: string | null): Matcher {
  const all = terms(selector ?? '').map(fieldTerm);
  return (object) => all.every((matches) => matches(object));
}
