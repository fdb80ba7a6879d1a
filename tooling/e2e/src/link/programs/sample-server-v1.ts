import { serveStdio } from '@truename/sdk-v1'
import { sampleService } from '../sample-service.ts'

const endpoint = await serveStdio(sampleService().service)
await endpoint.closed
