/** RFC 9110, section 5.6.2: a token. */
const tokenName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

/** What `fetch` sets itself: it refuses these, or sends its own value without a word. */
const ofTheConnection = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'keep-alive',
  'upgrade',
  'expect',
])

/**
 * Why a header cannot be sent with `fetch`, in words that do not hold its value; `undefined` where it can. A value
 * may hold tabs and the visible characters of Latin-1; leading and trailing blanks are not sent.
 *
 * @see RFC 9110, sections 5.1 and 5.5; WHATWG Fetch, section 2.2.2
 */
export function headerFault(name: string, value: string): string | undefined {
  if (!tokenName.test(name))
    return "it is no legal HTTP header name, which is made of letters, digits and !#$%&'*+-.^_`|~"
  const lower = name.toLowerCase()
  const connection = lower === 'connection' && !/^[\t ]*(?:close|keep-alive)[\t ]*$/i.test(value)
  if (connection || ofTheConnection.has(lower))
    return 'it belongs to the connection, which sets it itself; leave it out'
  if (/[\r\n]/.test(value))
    return 'its value holds a line break, which an HTTP header cannot carry; write it on one line'
  if (/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/.test(value))
    return 'its value holds a control character, which an HTTP header cannot carry'
  if (/[^\x00-\xff]/.test(value))
    return 'its value holds a character outside Latin-1, which an HTTP header cannot carry; percent-encode it, as the server expects it'
  return undefined
}

/** The first name that is there already in another letter case: `fetch` would send both values as one. */
export function findHeaderTwin(names: readonly string[]): readonly [string, string] | undefined {
  const seen = new Map<string, string>()
  for (const name of names) {
    const first = seen.get(name.toLowerCase())
    if (first !== undefined) return [first, name]
    seen.set(name.toLowerCase(), name)
  }
  return undefined
}

/**
 * Why `fetch` cannot be given an address, in words that do not hold it; `undefined` where it can.
 *
 * @see WHATWG Fetch, section 5.4: a request with credentials in its URL is refused
 */
export function addressFault(address: string): string | undefined {
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol))
    return 'it has to be an absolute http: or https: address'
  const { username, password } = new URL(address)
  if (username !== '' || password !== '')
    return 'it holds a user name or password, which is not sent from there; take them out and write "headers": { "Authorization": "Basic ${NAME}" }, the variable holding user:password in Base64'
  return undefined
}
