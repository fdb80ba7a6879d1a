import type { SizeLimit } from './bundle-size.ts'

/** A kilobyte of 1,000 bytes. */
const kB = 1_000

/**
 * How large each package may be for those who load it in a browser. What template-matcher takes is explained in
 * `docs/decisions/037-template-matcher-what-its-size-buys.md`.
 */
export const sizeLimits: readonly SizeLimit[] = [
  { package: 'uri-codec', imports: ['parseTemplate', 'expandTemplate'], limit: 3 * kB },
  { package: 'uri-codec', imports: 'all', limit: 8 * kB },
  { package: 'template-matcher', imports: ['matchTemplate'], limit: 6 * kB, notMetYet: 13.9 * kB },
  { package: 'template-matcher', imports: 'all', limit: 14 * kB, notMetYet: 29 * kB },
]
