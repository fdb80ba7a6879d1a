/** Something the shop sells. */
export interface Good {
  readonly sku: string
  readonly title: string
  /** Euro cents. */
  readonly priceCents: number
}

/** The stock of every shop. */
export const goods: readonly Good[] = [
  { sku: 'T-104', title: 'Green tea, loose, 100 g', priceCents: 640 },
  { sku: 'T-221', title: 'Black tea, 20 bags', priceCents: 390 },
  { sku: 'K-018', title: 'Tea kettle, 1.2 l, steel', priceCents: 2850 },
  { sku: 'C-307', title: 'Coffee beans, 500 g', priceCents: 1190 },
  { sku: 'C-311', title: 'Coffee filter papers, 80 pieces', priceCents: 310 },
  { sku: 'M-090', title: 'Mug, stoneware, 0.3 l', priceCents: 980 },
]

/** Goods whose title holds every word, letter case aside; all goods for no word. */
export function findGoods(query: string): readonly Good[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  return goods.filter(({ title }) => words.every((word) => title.toLowerCase().includes(word)))
}
