import { SETTLED_CODE, type Step } from './index-steps.ts'
import { childOf, endsOf, follow, type IndexTree, nodesBehind, openOf, ROOT } from './index-tree.ts'

/** The templates that a tree does not tell apart from the one of these steps, itself among them. */
export function rivalsIn(tree: IndexTree, steps: readonly Step[]): number[] {
  const found: number[] = []
  /** Nodes where all that ends there, or anywhere behind them, is a rival. */
  const left: number[] = []
  const endAt = (node: number): void => {
    found.push(...endsOf(tree, node))
  }
  /** The node `to` stands behind this one: a text, or an expression, which may be empty or hold the texts beside it. */
  function pass(node: number, to: number, isExpression: boolean): void {
    if (isExpression) endAt(node)
    left.push(...nodesBehind(tree, node, isExpression).filter((each) => each !== to))
  }
  let link = ROOT
  let isOpen = false
  for (const step of steps) {
    const from = link
    if (typeof step === 'string')
      link = follow(tree, link, step, (node, code) =>
        pass(node, childOf(tree.cells, node, code), code === SETTLED_CODE),
      )
    else {
      link = openOf(tree, link, step.operator)
      pass(tree.cells[from]!, tree.cells[link]!, true)
      isOpen = true
      break
    }
  }
  const node = tree.cells[link]!
  // Behind an expression that can end in several places the same text may stand for anything.
  if (isOpen) left.push(node)
  else {
    endAt(node)
    pass(node, 0, false)
  }
  for (let each = left.pop(); each !== undefined; each = left.pop()) {
    endAt(each)
    left.push(...nodesBehind(tree, each))
  }
  return found
}
