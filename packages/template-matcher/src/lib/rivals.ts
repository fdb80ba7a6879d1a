import type { Path } from './index-steps.ts'
import { type IndexTree, ROOT } from './index-tree.ts'

/** The templates that a tree does not tell apart from the one of these steps, itself among them. */
export function rivalsIn(tree: IndexTree, [text, open]: Path['steps']): number[] {
  const found: number[] = []
  /** Nodes where all that ends there, or anywhere behind them, is a rival. */
  const left: number[] = []
  const endAt = (node: number): void => {
    found.push(...tree.endsOf(node))
  }
  /** The node `to` stands behind this one: a text, or an expression, which may be empty or hold the texts beside it. */
  function pass(node: number, to: number, isExpression: boolean): void {
    if (isExpression) endAt(node)
    left.push(...tree.nodesBehind(node, isExpression).filter((each) => each !== to))
  }
  const link = tree.follow(ROOT, text, pass)
  if (open !== undefined) {
    // Behind an expression that can end in several places the same text may stand for anything.
    const behind = tree.follow(link, open, pass)
    left.push(tree.cells[behind]!)
  } else {
    const node = tree.cells[link]!
    endAt(node)
    pass(node, 0, false)
  }
  for (let each = left.pop(); each !== undefined; each = left.pop()) {
    endAt(each)
    left.push(...tree.nodesBehind(each))
  }
  return found
}
