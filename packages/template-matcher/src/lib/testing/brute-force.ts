import { expandTemplate, type TemplateValues } from '@truename/uri-codec'
import type { MatchedValue } from '../settle.ts'

// Help for tests: templates over a small alphabet, and everything that small values expand them to.

/** A generator of numbers below `count` that gives the same ones for the same seed. */
export function createRandom(seed: number): (count: number) => number {
  let state = seed >>> 0 || 1
  return (count) => {
    state ^= state << 13
    state >>>= 0
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state % count
  }
}

const literals = ['', '', 'a', 'b', '/', '?', '&', '?k=', '&v=', '.', ',', ';v', '#', 'ab', 'a/', '=', '%20']
const operators = ['', '', '', '+', '#', '.', '/', ';', '?', '&']
const modifiers = ['', '', '', '*', '*', ':1', ':2']

/** A template of up to three expressions over the variables `v`, `w`, `x`; `repeats` lets one occur again. */
export function randomTemplate(random: (count: number) => number, repeats: boolean): string {
  const names = ['v', 'w', 'x']
  let template = literals[random(literals.length)]!
  for (let left = 1 + random(3); left > 0 && names.length > 0; left -= 1) {
    const variables: string[] = []
    for (let each = 1 + random(2); each > 0 && names.length > 0; each -= 1) {
      const name = repeats ? names[random(names.length)]! : names.shift()!
      variables.push(name + modifiers[random(modifiers.length)]!)
    }
    template += `{${operators[random(operators.length)]}${variables.join(',')}}${literals[random(literals.length)]}`
  }
  return template
}

/** Whether the variable has a `*` anywhere, and whether it stands under a prefix anywhere. */
function formsOf(template: string, name: string): { explodes: boolean; cuts: boolean } {
  return {
    explodes: new RegExp(`[{+#./;?&,]${name}\\*`).test(template),
    cuts: new RegExp(`[{+#./;?&,]${name}:`).test(template),
  }
}

const texts = ['a', 'b', 'ab', 'ba', '.', 'a.b', ',', 'a/', '=', '?v=a', '&w=b', ' ', 'k=a']

/** Small values of a variable within the domain of `findAmbiguity`: texts, and lists (or maps) where it explodes. */
export function domainValues(template: string, name: string, maps: boolean): (MatchedValue | undefined)[] {
  const { explodes, cuts } = formsOf(template, name)
  if (!explodes) return [undefined, ...texts]
  if (cuts) return [undefined]
  const lists: MatchedValue[] = [
    ['a'],
    ['b'],
    ['a', 'b'],
    ['a', 'a'],
    ['a,b'],
    ['a.b'],
    ['k=a'],
    ['?v=a'],
    ['a', '/'],
  ]
  const members: MatchedValue[] = maps
    ? [{ k: 'a' }, { v: 'a' }, { w: 'b' }, { k: 'a', v: 'b' }, { a: '.' }]
    : []
  return [undefined, ...lists, ...members]
}

/** Small values of a variable of every kind. */
export function allValues(template: string, name: string): (MatchedValue | undefined)[] {
  const { cuts } = formsOf(template, name)
  const some: (MatchedValue | undefined)[] = [undefined, '', 'a', 'b', 'ab', '.', ',', '/', '=', 'k=', ' ']
  if (cuts) return some
  return [
    ...some,
    ['a', 'b'],
    [''],
    ['', 'a'],
    ['k', 'a', 'b'],
    { k: 'a' },
    { v: '' },
    { k: 'a', v: 'b' },
    { w: 'b', x: 'a' },
  ]
}

/** Every choice of values for `v`, `w` and `x`, at most `most`, spread evenly. */
export function* choices(
  template: string,
  valuesOf: (name: string) => readonly (MatchedValue | undefined)[],
  most: number,
): Generator<Record<string, MatchedValue>> {
  const names = ['v', 'w', 'x'].filter((name) => new RegExp(`[{+#./;?&,]${name}[*:,}]`).test(template))
  const lists = names.map(valuesOf)
  const count = lists.reduce((product, list) => product * list.length, 1)
  const stride = Math.max(1, Math.ceil(count / most))
  for (let at = 0; at < count; at += stride) {
    const values: Record<string, MatchedValue> = {}
    let rest = at
    for (const [place, name] of names.entries()) {
      const list = lists[place]!
      const value = list[rest % list.length]
      rest = Math.floor(rest / list.length)
      if (value !== undefined) values[name] = value
    }
    yield values
  }
}

/** The expansion, or `undefined` where the values have none. */
export function tryExpand(template: string, values: TemplateValues): string | undefined {
  try {
    return expandTemplate(template, values)
  } catch {
    return undefined
  }
}
