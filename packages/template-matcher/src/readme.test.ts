import { join } from 'node:path'
import { testReadme } from '@truename/tooling-vitest/readme'

testReadme(join(import.meta.dirname, '..'))
