import {
  auth,
  extractWWWAuthenticateParams,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthTokens,
} from '@modelcontextprotocol/client'

/** A login without a person: the authorization server of the suite redirects at once. */
export interface Login {
  readonly provider: OAuthClientProvider
  /** Exchanges the code that the last redirect brought; `false` where there was none. */
  finish(serverUrl: string, challenge: string | undefined): Promise<boolean>
}

const redirectUrl = 'http://localhost:3000/callback'

/** Creates a login; `known` are credentials that were given out beforehand. */
export function createLogin(known?: { readonly client_id: string; readonly client_secret?: string }): Login {
  let client: OAuthClientInformationMixed | undefined = known
  let tokens: OAuthTokens | undefined
  let verifier = ''
  let redirected: URLSearchParams | undefined
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadataUrl: 'https://conformance-test.local/client-metadata.json',
    clientMetadata: {
      client_name: 'truename-conformance',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    },
    clientInformation: () => client,
    saveClientInformation: (information) => {
      client = information
    },
    tokens: () => tokens,
    saveTokens: (given) => {
      tokens = given
    },
    saveCodeVerifier: (code) => {
      verifier = code
    },
    codeVerifier: () => verifier,
    invalidateCredentials: (scope) => {
      if (scope === 'all' || scope === 'tokens') tokens = undefined
      if (scope === 'all' || scope === 'client') client = known
    },
    async redirectToAuthorization(url) {
      const response = await fetch(url, { redirect: 'manual' })
      const location = response.headers.get('location')
      redirected = location === null ? undefined : new URL(location).searchParams
    },
  }
  return {
    provider,
    async finish(serverUrl, challenge) {
      const code = redirected?.get('code')
      const iss = redirected?.get('iss')
      redirected = undefined
      if (!code) return false
      const headers = challenge === undefined ? {} : { 'www-authenticate': challenge }
      const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(new Response(null, { headers }))
      const result = await auth(provider, {
        serverUrl,
        authorizationCode: code,
        ...(iss ? { iss } : {}),
        ...(resourceMetadataUrl ? { resourceMetadataUrl } : {}),
        ...(scope ? { scope } : {}),
      })
      return result === 'AUTHORIZED'
    },
  }
}
