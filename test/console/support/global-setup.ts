import { unpackChromium } from '../../support/chromium.ts';

export default unpackChromium;
