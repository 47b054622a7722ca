/** Less than this hidden below is nothing to tell, in pixels. */
const tolerancePx = 24

/** Whether something of a scrolling box lies below what is seen of it, so that the box can say so. */
export class MoreBelow {
  #isMore = $state(false)

  get isMore(): boolean {
    return this.#isMore
  }

  /** For `{@attach}` on the element that scrolls; looks anew when it scrolls or what is in it changes its size. */
  readonly follow = (box: HTMLElement): (() => void) => {
    const look = (): void => {
      this.#isMore = box.scrollHeight - box.clientHeight - box.scrollTop > tolerancePx
    }
    const sizes = new ResizeObserver(look)
    const children = new MutationObserver(look)
    sizes.observe(box)
    children.observe(box, { childList: true, subtree: true })
    box.addEventListener('scroll', look)
    look()
    return () => {
      sizes.disconnect()
      children.disconnect()
      box.removeEventListener('scroll', look)
    }
  }
}
