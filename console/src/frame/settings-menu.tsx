import type { Session } from '../api/session.ts';
import { MenuButton } from '../parts/menu.tsx';
import { addressOf, rootPath, type Screen, settingsScreens } from '../route.ts';
import { chooseDensity, density } from '../tables/density.ts';
import { frame as texts } from '../texts/common.ts';
import { isAllowed } from './screens.ts';

/** What is not daily work: the screens of an administrator, this browser's choices, and who is signed in. */
export function SettingsMenu(props: {
  readonly session: Session;
  readonly screen: Screen;
  readonly onSignOut: () => void;
}) {
  const { session, screen, onSignOut } = props;
  const { apiKeyName } = session;
  const isCompact = density.value === 'compact';
  return (
    <MenuButton
      kind="quiet"
      name={texts.settings}
      aria-current={settingsScreens.some((one) => one === screen) || undefined}
      note={apiKeyName === null ? texts.owner : texts.signedInWith(apiKeyName)}
      items={[
        ...settingsScreens
          .filter((one) => isAllowed(session, one))
          .map((one) => ({
            text: texts.titles[one],
            to: { address: addressOf(one), isShown: one === screen },
          })),
        { text: texts.api, to: { address: `${rootPath}docs`, isShown: false } },
        {
          text: texts.compact,
          isOn: isCompact,
          run: () => chooseDensity(isCompact ? 'comfortable' : 'compact'),
        },
        { text: texts.signOut, run: onSignOut },
      ]}
    >
      {texts.settings}
    </MenuButton>
  );
}
