cp "$shared/app.pb.gz" php.pb.gz
printf 'currency: EUR\ncore_hour: 0.034\nco2_grams_per_core_hour: 4.2\n' > prices.yaml
