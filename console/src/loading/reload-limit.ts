const reloadedAtKey = 'animal-store reloaded at';
const millisecondsBetween = 60_000;

/** Whether this tab may load its page again without being asked: once a minute, because another time may end the same way. */
export function mayReload(
  now = Date.now(),
  storage: () => Pick<Storage, 'getItem' | 'setItem'> = () => sessionStorage,
): boolean {
  try {
    const passed = now - Number(storage().getItem(reloadedAtKey));
    if (passed >= 0 && passed < millisecondsBetween) return false;
    storage().setItem(reloadedAtKey, String(now));
    return true;
  } catch {
    // Without storage, such as when the browser blocks cookies, nothing would count the times.
    return false;
  }
}
