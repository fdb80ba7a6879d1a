import type { Step } from './index-steps.ts'
import {
  behindOpen,
  childOf,
  endsOf,
  follow,
  type IndexTree,
  nodesBehind,
  openOf,
  ROOT,
  SETTLED_CODE,
} from './index-tree.ts'

/** The templates that a tree does not tell apart from the one of these steps, which is there as `id`. */
export function rivalsIn(tree: IndexTree, steps: readonly Step[], id: number): number[] {
  const found: number[] = []
  const at = (node: number): void => {
    for (const each of endsOf(tree, node)) if (each !== id) found.push(each)
  }
  const below = (nodes: readonly number[]): void => {
    const left = [...nodes]
    for (let node = left.pop(); node !== undefined; node = left.pop()) {
      at(node)
      left.push(...nodesBehind(tree, node))
    }
  }
  /** What stands at a node where an expression does as well, which leads to `to`. */
  const besideExpression = (node: number, to: number): void => {
    at(node)
    below(nodesBehind(tree, node).filter((each) => each !== to))
  }
  /** What expressions lead to where a literal, or the end, stands as well. */
  const besideText = (node: number): void => {
    const next = childOf(tree.cells, node, SETTLED_CODE)
    below(next === 0 ? behindOpen(tree, node) : [next, ...behindOpen(tree, node)])
  }
  let link = ROOT
  for (const step of steps) {
    const from = link
    if (typeof step !== 'string') {
      link = openOf(tree, link, step)
      const to = tree.cells[link]!
      besideExpression(tree.cells[from]!, to)
      // Behind an expression that can end in several places the same text may stand for anything.
      below([to])
      return found
    }
    link = follow(tree, link, step, (node, code) => {
      if (code === SETTLED_CODE) besideExpression(node, childOf(tree.cells, node, code))
      else besideText(node)
    })
  }
  const node = tree.cells[link]!
  at(node)
  besideText(node)
  return found
}
