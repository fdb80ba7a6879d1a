import type { Token } from './meant-tokens.ts'
import { characterAt } from './percent-decode.ts'
import { misspellings, type Spelling, writtenAs } from './spellings.ts'
import type { UriFaultCode } from './uri-finding.ts'

/** How far both texts have been read, and how that was explained. */
export interface Place {
  /** The tokens that have been read. */
  readonly token: number
  /** The received text that has been read, in UTF-16 code units. */
  readonly at: number
  /** The less, the more of it known mistakes explain. */
  readonly cost: number
  /** How many steps led here. */
  readonly steps: number
  /** The mistakes of the last step; none where it is written rightly. */
  readonly codes: readonly UriFaultCode[]
  /** Where the last step began. */
  readonly before?: Place | undefined
  /** Whether the rightly written continuation has been followed already. */
  readonly late?: boolean
}

/** How a received text can be had from the tokens that were meant: the end of each step, in order. */
export interface Alignment {
  readonly cost: number
  readonly steps: readonly Place[]
}

interface Texts {
  readonly tokens: readonly Token[]
  readonly received: string
  /** One character for each token: a delimiter, a dot, or `x`. */
  readonly shape: string
  /** Where path, query and fragment end, as far as they are there. */
  readonly ends: readonly number[]
}

/** How many steps are decided at a time, with as many looked at beyond them. */
const span = 16
/** How many places are looked at for that, before the rest counts as other text altogether. */
const effort = 2_000
/** The price of a difference that no known mistake explains, and of giving up. */
const unexplainedPrice = 8
const hopeless = 50
/** How many such differences are gone into before giving up. */
const tolerated = 8

/**
 * Finds the cheapest explanation of `received` as a misspelling of `tokens`: a shortest path over pairs of places in
 * both, decided a stretch at a time, so that the work grows with the length of the texts and no faster. A kind of
 * mistake is paid for once. `undefined` where the cost is more than `atMost`.
 */
export function align(tokens: readonly Token[], received: string, atMost: number): Alignment | undefined {
  const shape = tokens
    .map(({ text, chars }) => (/^[/.]$/.test(chars) ? chars : /^[?#]$/.test(text) ? text : 'x'))
    .join('')
  const ends = [shape.search(/[?#]/), shape.indexOf('#'), tokens.length]
  const texts: Texts = { tokens, received, shape, ends }
  const paid = new Set<UriFaultCode>()
  let unexplained = 0
  let place: Place = { token: 0, at: 0, cost: 0, steps: 0, codes: [] }
  while (place.token < tokens.length || place.at < received.length) {
    const start: Place = place
    const end: Place = {
      token: tokens.length,
      at: received.length,
      cost: start.cost + hopeless,
      steps: 0,
      codes: ['different'],
      before: start,
    }
    place = (unexplained > tolerated ? undefined : search(texts, start, paid)) ?? end
    while (place.before!.steps >= start.steps + span) place = place.before!
    for (let step = place; step !== start; step = step.before!)
      for (const code of step.codes)
        if (code === 'different') unexplained += 1
        else paid.add(code)
    if (place.cost > atMost) return undefined
  }
  const steps: Place[] = []
  for (let step = place; step.before; step = step.before) steps.push(step)
  return { cost: place.cost, steps: steps.reverse() }
}

/** The cheapest way from one pair of places to the end, or two spans of steps further on. */
function search(texts: Texts, start: Place, paid: ReadonlySet<UriFaultCode>): Place | undefined {
  const { tokens, received } = texts
  const queue: Place[][] = []
  const push = (place: Place): void => {
    queue[place.cost] ??= []
    queue[place.cost]!.push(place)
  }
  const done = new Set<string>()
  push(start)
  for (let cost = start.cost; cost < queue.length; cost += 1) {
    for (let place = queue[cost]?.pop(); place; place = queue[cost]?.pop()) {
      const { token, at, steps, late } = place
      const key = `${token} ${at} ${late}`
      if (done.has(key)) continue
      if (done.add(key).size > effort) return undefined
      if (steps >= start.steps + 2 * span || (token === tokens.length && at === received.length)) return place
      const before = late ? place.before : place
      const go: Go = (token, at, price, codes) => {
        // A late place has paid one already.
        const known = codes.every((code) => paid.has(code)) ? 0 : price - (late ? 1 : 0)
        push({ token, at, cost: cost + known, steps: steps + 1, codes, before })
      }
      const text = tokens[token]?.text
      if (!late && text !== undefined && received.startsWith(text, at)) {
        push({ ...place, cost: cost + 1, late: true, before: place })
        go(token + 1, at + text.length, 0, [])
      } else explain(texts, token, at, go)
    }
  }
  return undefined
}

type Go = (token: number, at: number, price: number, codes: readonly UriFaultCode[]) => void

/** Offers every known mistake at one place, each at a price of one or more. */
function explain(texts: Texts, token: number, at: number, go: Go): void {
  const { tokens, received, shape, ends } = texts
  const expected = tokens[token]
  const next = received[at]
  const inAuthority = tokens[token - 1]?.area === 'authority'
  const endsAuthority = inAuthority && expected?.area !== 'authority'
  if (next === '/' && expected?.text !== '/' && (endsAuthority || at === received.length - 1))
    go(token, at + 1, endsAuthority ? 1 : 2, ['slash-added'])
  if (!expected) {
    go(token, received.length, Math.min(2 * span, 6 * (received.length - at)), ['different'])
    return
  }
  const { text, chars } = expected
  for (const { length, cost, codes } of readings(expected, received, at))
    if (cost > 0) go(token + 1, at + length, cost, codes)
  decodedTwice(tokens, token, received, at, go)
  if (chars === '/') {
    dotsCollapsed(texts, token, at, go)
    if (shape[token - 1] === '/' || token === tokens.length - 1) go(token + 1, at, 2, ['slash-dropped'])
  }
  if (text === ':' && inAuthority && !endsAuthority) {
    let end = token + 1
    while (/^\d$/.test(tokens[end]?.text ?? '')) end += 1
    if (tokens[end]?.area !== 'authority') go(end, at, 1, ['port-dropped'])
  }
  if (/^[?#]$/.test(chars) && (next === undefined || (text !== chars && /[?#]/.test(next)))) {
    // Either the whole rest is missing, or the value up to the query or fragment that was meant.
    let code: UriFaultCode = 'cut-at-delimiter'
    if (text === chars) code = chars === '?' ? 'query-dropped' : 'fragment-dropped'
    for (const end of ends) if (end > token) go(end, at, 2, [code])
  }
  if (!next) go(tokens.length, at, 12, ['different'])
  else {
    go(token + 1, at + 1, unexplainedPrice, ['different'])
    go(token, at + 1, unexplainedPrice - 2, ['different'])
    go(token + 1, at, unexplainedPrice - 2, ['different'])
  }
}

/** Every way to read one token by known mistakes: each character of each normalization form of it. */
function* readings(token: Token, received: string, at: number): Generator<Spelling> {
  const { text, chars, area } = token
  for (const form of new Set([chars, chars.normalize('NFC'), chars.normalize('NFD')])) {
    let partial: Spelling[] = [
      form === chars ? { length: 0, cost: 0, codes: [] } : { length: 0, cost: 1, codes: ['normalization'] },
    ]
    for (const character of form) {
      const written = text === chars ? character : writtenAs(character)
      partial = partial
        .flatMap((start) =>
          misspellings(character, written, area, received, at + start.length).map(
            ({ length, cost, codes }) => ({
              length: start.length + length,
              cost: start.cost + cost,
              codes: [...start.codes, ...codes],
            }),
          ),
        )
        .slice(0, 8)
    }
    yield* partial
  }
}

const segments = /\/[.x]*/y

/** Segments that resolving takes away, from the slash before them on (RFC 3986 section 5.2.4). */
function dotsCollapsed({ received, shape }: Texts, token: number, at: number, go: Go): void {
  let depth = 0
  let after = token
  segments.lastIndex = token
  for (let left = 2 * span; left > 0; left -= 1) {
    const segment = segments.exec(shape)?.[0]
    if (segment === undefined) break
    if (segment === '/..') depth = Math.max(0, depth - 1)
    else if (segment !== '/.') depth += 1
    if (depth === 0) after = segments.lastIndex
  }
  if (after === token) return
  // At the end of the path, its last slash stays.
  if (shape[after] === '/') go(after, at, 1, ['dots-collapsed'])
  else if (received[at] === '/') go(after, at + 1, 1, ['dots-collapsed'])
}

/** A name that holds `%XX` itself, read as what that stands for. */
function decodedTwice(tokens: readonly Token[], token: number, received: string, at: number, go: Go): void {
  const inner = tokens.slice(token, token + 12).map(({ chars }) => chars)
  const character = characterAt(inner.join(''), 0)
  if (character && received.startsWith(character.chars, at))
    go(token + character.end, at + character.chars.length, 1, ['decoded-twice'])
}
