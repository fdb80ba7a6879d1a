import { serveStdio } from '@truename/sdk-v2'
import { sampleService } from '../sample-service.ts'

const endpoint = await serveStdio(sampleService().service)
console.log('nothing but messages')
console.debug('may reach stdout')
process.stdout.write('whoever writes there\n')
await endpoint.closed
