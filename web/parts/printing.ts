import { signal } from '@preact/signals'

/** Whether the page is printed: nothing scrolls on paper. */
export const isPrinting = signal(false)

/** For pages that are made for paper, too. */
export function followPrinting(): void {
  const query = matchMedia('print')
  const follow = () => {
    isPrinting.value = query.matches
  }
  query.addEventListener('change', follow)
  follow()
}
