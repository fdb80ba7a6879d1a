export { type OperatorRule, operators } from './lib/operators.ts'
export { type ParseOptions, parseTemplate, type TemplateLimits } from './lib/parse-template.ts'
export type { Expression, Literal, Operator, Template, TemplateNode, VariableSpec } from './lib/template.ts'
export { TemplateLimitError, type TemplateSyntaxCode, TemplateSyntaxError } from './lib/template-errors.ts'
