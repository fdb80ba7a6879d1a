/**
 * The price of tokens, exactly: prices have at most six decimals, so a token costs a whole number of 10⁻¹² dollars,
 * and sums of such are made in whole numbers before they are turned into dollars.
 */
export const picodollars = (tokens: number, dollarsPerMillion: number): bigint =>
  BigInt(Math.round(tokens)) * BigInt(Math.round(dollarsPerMillion * 1e6))

/** Dollars of a whole number of 10⁻¹² dollars. */
export const dollars = (pico: bigint): number => Number(pico) / 1e12
