export { type Bill, bill, type MeasuredUsage, type PlannedUsage, UsageError } from './lib/bill.ts'
export {
  type ComparePrefixOptions,
  comparePrefix,
  type Lost,
  type PrefixChange,
} from './lib/compare-prefix.ts'
export {
  type HitShare,
  hitShare,
  type MeasuredResponse,
  type Suspect,
  type SuspectCode,
} from './lib/hit-share.ts'
export {
  type Prefix,
  type PrefixInput,
  type PrefixSystemDigest,
  type PrefixTool,
  type PrefixToolDigest,
  prefixOf,
  RepeatedToolError,
  type SystemPart,
} from './lib/prefix.ts'
export { type PricePreset, type PricePresetId, type Prices, pricePresets } from './lib/prices.ts'
export {
  type InputUsage,
  readAnthropicUsage,
  readGeminiUsage,
  readOpenAIUsage,
  readUsage,
} from './lib/usage.ts'
