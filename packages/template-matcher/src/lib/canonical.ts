import { isUnreserved } from './characters.ts'

/** A triplet with a digit in lower case, or for an unreserved character. */
const otherSpelling = /%(?:[\dA-Fa-f][a-f]|[a-f][\dA-F]|2[DE]|3\d|[46][1-9A-F]|[57][\dA]|5F|7E)/

/** Whether every triplet is spelled as expansion spells it: needed, and in upper case. */
export const isCanonical = (text: string): boolean => !otherSpelling.test(text)

/** Triplets, but for one that a `%` without two digits would become another one with: what is decoded is decoded once. */
const triplets = /(?<!%.?)%[\da-f]{2}/gis

/**
 * A text with triplets in upper case, and none for unreserved characters: what RFC 3986 sections 6.2.2.1 and 6.2.2.2
 * call equal.
 */
export const canonicalText = (text: string): string =>
  isCanonical(text)
    ? text
    : text.replace(triplets, (triplet) => {
        const octet = Number.parseInt(triplet.slice(1), 16)
        return isUnreserved(octet) ? String.fromCharCode(octet) : triplet.toUpperCase()
      })
