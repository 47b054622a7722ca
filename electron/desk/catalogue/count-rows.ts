/** Beyond any stock: a service that says yes to this says yes to everything. */
const most = 1e9

/**
 * How many rows a list has, found by asking whether there is an nth: steps that double, then halve. The API gives no
 * total. `atLeast`: so many are known. `guess`: as many as there were last time; near it few questions are enough.
 */
export async function countRows(
  isThere: (nth: number) => Promise<boolean>,
  atLeast: number,
  guess: number | null,
): Promise<number> {
  let there = atLeast
  let missing: number | null = null
  let step = Math.max(1, atLeast)
  if (guess !== null && guess > atLeast) {
    step = 1
    if (await isThere(guess)) there = guess
    else missing = guess
  }
  while (missing === null && there < most) {
    if (await isThere(there + step)) there += step
    else missing = there + step
    step *= 2
  }
  while (missing !== null && missing - there > 1) {
    const middle = Math.floor((there + missing) / 2)
    if (await isThere(middle)) there = middle
    else missing = middle
  }
  return there
}
