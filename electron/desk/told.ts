/** Views given out since the program started, by whichever desk: a window may outlive one. */
let told = 0

/** The number of one more view: of two views of the same thing the one with the higher number is the later. */
export function countTold(): number {
  return ++told
}
