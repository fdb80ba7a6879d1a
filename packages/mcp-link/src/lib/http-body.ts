import { codes } from './failure.ts'
import { errorResponse } from './http-answers.ts'

/** How an SDK line reads bodies, with its limit in bytes. */
export interface BodyReading {
  readonly limit: number
  read(
    request: Request,
    limit: number,
  ): Promise<{ readonly tooLarge: true } | { readonly tooLarge: false; readonly text: string }>
}

/** The JSON value in the body of a POST, or the response that refuses it. */
export async function readJsonBody(
  request: Request,
  { read, limit }: BodyReading,
): Promise<{ readonly value: unknown } | { readonly refused: Response }> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json')
    return { refused: errorResponse(415, codes.refused, 'Content-Type must be application/json') }
  const body = await read(request, limit)
  if (body.tooLarge) return { refused: errorResponse(413, codes.refused, `The body is over ${limit} bytes`) }
  try {
    return { value: JSON.parse(body.text) as unknown }
  } catch {
    return { refused: errorResponse(400, codes.parseError, 'The body is not valid JSON') }
  }
}
