/** JSON as it came over the wire; members this project does not know are kept. */
export type { Json, JsonObject } from '@truename/capability-negotiator'
