export { type Ambiguity, type AmbiguityOptions, findAmbiguity } from './lib/ambiguity.ts'
export { type SetConflict, TemplateConflictError } from './lib/conflicts.ts'
export {
  describeTemplate,
  type ExpressionDescription,
  type IdentifierForm,
  type TemplateDescription,
} from './lib/describe-template.ts'
export type { Expectation, Explanation } from './lib/explain.ts'
export { type GuardCode, type GuardedPath, type GuardOptions, guardPath } from './lib/guard-path.ts'
export { MatchLimitError, type MatchLimits } from './lib/limits.ts'
export { type LintCode, type LintFinding, lintTemplates } from './lib/lint.ts'
export type { Deviation, DeviationCode, Match, RawPiece } from './lib/match.ts'
export { type MatchOptions, matchReadings, matchTemplate } from './lib/match-template.ts'
export type { MatchMetrics, MatchRate, TemplateHits } from './lib/metrics.ts'
export { type Overlap, type OverlapOptions, overlap } from './lib/overlap.ts'
export type { ExactHit, SetMatch, TemplateHit, TemplateSet, TemplateSetOptions } from './lib/set-types.ts'
export type { MatchedValue, MatchedValues } from './lib/settle.ts'
export { compareSpecificity } from './lib/specificity.ts'
export { createTemplateSet } from './lib/template-set.ts'
export {
  addStep,
  beginTrace,
  failedStep,
  joinTraces,
  locateStep,
  matchSteps,
  noMatchStep,
  type ReadTrace,
  type TraceStep,
  type TraceStepName,
  traceSteps,
} from './lib/trace.ts'
