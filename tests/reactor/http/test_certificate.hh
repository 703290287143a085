// A self-signed certificate for localhost that expires in a hundred years. Its key is public: for tests only.
#pragma once

namespace testing_lib {

constexpr const char* test_certificate = R"(-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUGMIp2u7Z6gBpdTcmXVms38/0X3IwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTExNjA1MjQ0NloYDzIxMjYxMDIz
MDUyNDQ2WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQBRco+bAV2k7ekKt+91IQsUQDrOiNQ4JS0ZXHdrmyD3j2yA+EG8Fru
mrpbAlJabggcxtNvF5lC1Inmz20sCHXto28wbTAdBgNVHQ4EFgQUNODFI6fzm3A+
ZfGCdvw+eJSnrHAwHwYDVR0jBBgwFoAUNODFI6fzm3A+ZfGCdvw+eJSnrHAwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIhALUSDQk2pFWxi5fjM61mQwwBQ/H5ovhNbkD/0kSL5metAiB3
m1RJossrUS3PFq6w3p/RmZ8IfkrYQCJr30Rd6Grm6Q==
-----END CERTIFICATE-----
)";

constexpr const char* test_key = R"(-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQglh3bhRhYy7ggYUdS
fmnyBk6kTmBSAah1WtNQtnwGNIChRANCAAQBRco+bAV2k7ekKt+91IQsUQDrOiNQ
4JS0ZXHdrmyD3j2yA+EG8FrumrpbAlJabggcxtNvF5lC1Inmz20sCHXt
-----END PRIVATE KEY-----
)";

} // namespace testing_lib
