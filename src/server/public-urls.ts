import type { PublicUrls } from '../http/public-urls.ts';
import type { Config } from '../ops/config.ts';
import type { publicUrlSettings } from './settings.ts';

export type PublicUrlConfig = Config<(typeof publicUrlSettings)[number]>;

export function publicUrlsOf({ baseUrl, stagingBaseUrl }: PublicUrlConfig): PublicUrls {
  return {
    ...(baseUrl === undefined ? {} : { production: baseUrl }),
    ...(stagingBaseUrl === undefined ? {} : { staging: stagingBaseUrl }),
  };
}
