export { diagnose, type Meant } from './lib/diagnose.ts'
export { EncodeError } from './lib/encode-error.ts'
export {
  expandTemplate,
  type ScalarValue,
  type TemplateValue,
  type TemplateValues,
} from './lib/expand-template.ts'
export { type FilePath, type FilePlatform, fileUriToPath, pathToFileUri } from './lib/file-uri.ts'
export { type FormatNode, formatTemplate } from './lib/format-template.ts'
export {
  decodeName,
  decodePath,
  decodeQueryValue,
  encodeName,
  encodePath,
  encodeQueryValue,
  type QueryValueOptions,
} from './lib/identifier.ts'
export { type OperatorRule, operators } from './lib/operators.ts'
export { type ParseOptions, parseTemplate, type TemplateLimits } from './lib/parse-template.ts'
export type { Decoded } from './lib/percent-decode.ts'
export type { Expression, Literal, Operator, Template, TemplateNode, VariableSpec } from './lib/template.ts'
export { TemplateLimitError, type TemplateSyntaxCode, TemplateSyntaxError } from './lib/template-errors.ts'
export { TemplateValueError } from './lib/template-value-error.ts'
export type { EncoderName, UriFaultCode, UriFinding } from './lib/uri-finding.ts'
